# SPDX-License-Identifier: Apache-2.0
"""What every other package uses: checks of arguments, progress bars, ranges of gids, the time grid."""
