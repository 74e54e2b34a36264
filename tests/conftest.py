"""What every test shares."""

from hypothesis import settings

# Machines that run several things at once make wall-clock deadlines lie; pytest-timeout ends what really hangs.
settings.register_profile("bluke", deadline=None)
settings.load_profile("bluke")
