import '@mantine/core/styles.css';
import './global.css';
import { setNonce } from 'get-nonce';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

// Mantine and the lock of the scroll bar insert style elements: the content security policy permits them by this nonce.
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
setNonce(nonce);

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no root.');
createRoot(root).render(<App nonce={nonce} />);
