"""The pages that everybody may see: drawn once for all who look, kept, answered without Flask, told what changed."""
