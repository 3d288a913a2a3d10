"""What `evilpegs solve` is made of."""
