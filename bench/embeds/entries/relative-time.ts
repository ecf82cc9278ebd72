import '@github/relative-time-element';
