import 'bluesky-post-embed';
