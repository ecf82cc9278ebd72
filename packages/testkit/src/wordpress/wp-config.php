<?php
// The settings of the WordPress that site.ts starts. The values come from the environment.
define('DB_NAME', 'wordpress');
define('DB_USER', 'root');
define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:' . getenv('TRIAL_DB_SOCKET'));
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $name) {
  define("{$name}_KEY", $name);
  define("{$name}_SALT", $name);
}
$table_prefix = 'wp_';
define('WP_HOME', getenv('TRIAL_URL'));
define('WP_SITEURL', getenv('TRIAL_URL'));
// Allows application passwords without HTTPS.
define('WP_ENVIRONMENT_TYPE', 'local');
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('WP_ACCESSIBLE_HOSTS', 'localhost');
define('DISABLE_WP_CRON', true);
defined('ABSPATH') || define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
