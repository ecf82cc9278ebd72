/** What readers do by the buttons of a card. */
export type ButtonAction = 'copy' | 'save' | 'share';
