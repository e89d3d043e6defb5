"""What is known of failures: rules, code tables and their texts; reads ``patterns/``."""
