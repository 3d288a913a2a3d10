"""Tests of the site. As a package, they have a server of their own that ends with them."""
