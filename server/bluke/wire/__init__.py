"""Rules values to and from protobuf, and the sans-IO session machine: who may say what, when."""
