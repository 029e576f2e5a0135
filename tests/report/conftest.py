"""Fixtures for the pages."""

from tests.browser import browser_page as browser_page
