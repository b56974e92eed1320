"""What runs inside the sandbox, beside the subject: standard library and pytest only, nothing of this project."""
