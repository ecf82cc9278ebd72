<?php
/**
 * Reads a post from standard input and prints it like WordPress. Uses WordPress's own functions, but no database:
 *   WORDPRESS_DIR=/usr/share/wordpress php print.php block|classic|author < block.html
 */
error_reporting(E_ALL & ~E_DEPRECATED);
define('ABSPATH', rtrim(getenv('WORDPRESS_DIR'), '/') . '/');
define('WPINC', 'wp-includes');
define('WP_DEBUG', false);
define('WP_CONTENT_DIR', ABSPATH . 'wp-content');

$files = ['version', 'load', 'default-constants', 'plugin', 'functions', 'pomo/mo', 'l10n', 'formatting', 'kses', 'shortcodes'];
$blocks = ['class-wp-block-parser', 'class-wp-block-type', 'class-wp-block-type-registry', 'class-wp-block', 'class-wp-block-list', 'blocks'];
foreach (array_merge($files, $blocks) as $file) require ABSPATH . WPINC . "/$file.php";

$html = file_get_contents('php://stdin');
switch ($argv[1]) {
  case 'block': // The block editor: no paragraphs are made within blocks.
    echo wptexturize(do_blocks($html));
    break;
  case 'classic': // The classic editor, or a classic block: wpautop() is at work.
    echo shortcode_unautop(wpautop(wptexturize(preg_replace('/<!-- \/?wp:html -->\n/', '', $html))));
    break;
  case 'author': // Who lacks the right "unfiltered_html": kses takes out what it does not know when the post is saved.
    echo wptexturize(do_blocks(wp_kses_post($html)));
    break;
}
