#pragma once
#include <matio.h>
