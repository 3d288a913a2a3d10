"""Tests of the page. As a package, they have a server of their own that ends with them."""
