"""What every test shares."""

import os

from hypothesis import settings

# Machines that run several things at once make wall-clock deadlines lie; pytest-timeout ends what really hangs.
settings.register_profile("bluke", deadline=None)
# The same examples each time, so that what fails is what was changed. Runs elsewhere find new ones.
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "bluke")
