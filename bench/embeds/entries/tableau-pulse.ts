import '@tableau/embedding-api';
