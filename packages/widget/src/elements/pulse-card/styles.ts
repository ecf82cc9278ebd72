import { themeStyles } from '../theme-styles.ts';
import { analysisStyles } from './styles/analysis-styles.ts';
import { chartStyles } from './styles/chart-styles.ts';
import { findingStyles } from './styles/finding-styles.ts';
import { footerStyles } from './styles/footer-styles.ts';
import { headerStyles } from './styles/header-styles.ts';
import { layoutStyles } from './styles/layout-styles.ts';
import { messageStyles } from './styles/message-styles.ts';
import { modeStyles } from './styles/mode-styles.ts';
import { sizeStyles } from './styles/size-styles.ts';

/** The styles for the card. Later style sheets override earlier ones. */
export const cardStyles: string = `${themeStyles}${layoutStyles}${headerStyles}${findingStyles}${chartStyles}${footerStyles}${analysisStyles}${messageStyles}${sizeStyles}${modeStyles}`;
