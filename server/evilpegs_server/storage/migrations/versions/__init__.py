"""The schema revisions, one module per revision, in order."""
