// SPDX-License-Identifier: Apache-2.0
// Nothing: carries the precompiled header of the test programs.
