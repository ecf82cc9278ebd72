<?php
// Installs the site and prints the password with which the author of posts uses the REST API.
define('WP_INSTALLING', true);
require getenv('TRIAL_FOLDER') . '/wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
wp_install('Trial', 'admin', 'admin@example.com', true, '', 'admin');
$author = wp_create_user('author', 'author', 'author@example.com');
(new WP_User($author))->set_role('author');
[$password] = WP_Application_Passwords::create_new_application_password($author, ['name' => 'trial']);
switch_theme('twentytwentyone');
echo $password;
