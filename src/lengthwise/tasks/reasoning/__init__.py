"""The seventeen text problems of Kazemnejad et al. (2023), with their strings and distributions.

Templates, distributions and answer rules follow the authors' released code; the identity of the
copy and sorting symbols is ours, because theirs depends on a tokenizer's internal order.
"""
