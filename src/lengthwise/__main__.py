"""``python -m lengthwise``: the command line."""

from lengthwise.cli.main import main

if __name__ == "__main__":
    main()
