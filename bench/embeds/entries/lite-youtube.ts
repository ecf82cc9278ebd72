import 'lite-youtube-embed';
