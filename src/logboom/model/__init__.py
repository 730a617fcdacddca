"""What an event is: mapping, flattening, timestamps, index names, and the columns events become."""
