// The fonts that the themes name, brought along so that each looks the same on every machine.
import '@fontsource-variable/nunito-sans/index.css';
import '@fontsource-variable/source-serif-4/index.css';
