"""What stands where in the world and in a picture: solids, their silhouettes, what hides what, and the belief drawn over a picture."""
