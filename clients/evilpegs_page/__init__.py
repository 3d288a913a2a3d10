"""The page, the client in a browser: HTML, JavaScript and styles, which the server reads as data."""
