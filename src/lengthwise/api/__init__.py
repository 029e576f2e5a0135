"""What ``import lengthwise`` offers: verbs that take what a user names and return results.

Every verb is one function; the command of the same name is made from its signature, and prints the
object that the function returns.
"""
