"""What reads the event log and shows it."""
