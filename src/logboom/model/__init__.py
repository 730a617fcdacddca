"""What an event is: mapping, flattening, timestamps, index names, and the columns that events become."""
