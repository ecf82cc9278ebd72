<?php
// By default, WordPress sends no requests to servers on this machine or to unusual ports.
add_filter('http_request_host_is_external', '__return_true');
add_filter('http_allowed_safe_ports', fn ($ports) => [...$ports, (int) getenv('TRIAL_BFF_PORT')]);
// The tests also open the site under a host name that the BFF doesn't allow.
remove_action('template_redirect', 'redirect_canonical');
// Shows posts in a column whose width is in the URL.
add_action('wp_head', function () {
  $px = (int) ($_GET['column'] ?? 0);
  if ($px > 0) echo "<style>.entry-content > * { width: {$px}px !important; max-width: {$px}px !important; }</style>";
});
