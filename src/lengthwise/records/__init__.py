"""What a run is and what came out: plain data, one type each."""
