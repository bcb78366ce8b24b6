"""All that is measured: importing this fills `operator_table.OPERATORS`."""

import box_operators  # noqa: F401
import color_operators  # noqa: F401
import geometry_operators  # noqa: F401
import number_operators  # noqa: F401
import random_operators  # noqa: F401
import shape_operators  # noqa: F401
import sound_operators  # noqa: F401
