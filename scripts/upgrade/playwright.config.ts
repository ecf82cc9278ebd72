import config from '../../playwright.config.ts';

export default { ...config, testDir: import.meta.dirname, outputDir: '../../test-results', reporter: 'list' };
