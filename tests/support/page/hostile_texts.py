"""Texts that become script or markup wherever a page does not treat them as plain text."""

RAN = "window.ran ?? null"
"""A JavaScript expression for the variable that a hostile text sets if it runs."""
HOSTILE = [
    "<script>window.ran=1</script>",
    "<img src=x onerror=window.ran=1>",
    '"><svg onload=window.ran=1>',
    "'><iframe srcdoc='<script>parent.ran=1</script>'>",
    "javascript:window.ran=1",
    "</style><script>window.ran=1</script>",
    "<a href=javascript:window.ran=1 autofocus onfocus=window.ran=1 tabindex=0>x</a>",
    "${window.ran=1}{{window.ran=1}}",
    "<!--<img src='--><img src=x onerror=window.ran=1>'",
    "\u202e\u2066txet desrever",
    "\u0000\u0007\u001b[31m",
    "Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034fA\u0334\u0319\u0324\u031e\u0349",
    "😀" * 40,
    "__proto__",
    "constructor",
    "%",
    "%2e%2e%2f",
    "A" * 5000,
]
MARKUP = "".join(['"></style>', *HOSTILE[:4], *HOSTILE[5:9]])
"""All that is markup in one text."""
KINDS = [MARKUP, "javascript:window.ran=1", "\u202e\u0000\u001b[31m", "__proto__", "constructor", "%", "A" * 5000]
"""One text of each kind, for places with room for one: markup, an address, signs, names of objects, length."""
