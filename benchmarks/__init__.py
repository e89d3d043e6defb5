"""What ``ascend-doctor analyze`` costs, as ratios to ripgrep and to a bare interpreter."""
