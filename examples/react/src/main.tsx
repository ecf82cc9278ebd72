import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Figures } from './figures.tsx';

const root = document.querySelector('#root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <Figures />
    </StrictMode>,
  );
