/* placeholder replaced below */
#include "harness.h"
const struct scenario device_scenarios[] = {{NULL, NULL}};
