"""What students get: notebooks made from handout and stub, the folder and the archive to hand out, and its proof."""
