// Builds the pages after an install. Runs under any Node that npm may have, therefore plain JavaScript.
// An install without the packages for development, such as that of the container image, has no Vite: it gets its pages from another stage.
try {
  const { build } = await import('vite');
  await build({ root: import.meta.dirname, logLevel: 'warn' });
} catch (error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  console.log('The pages of the console are not built: the packages for development are not installed.');
}
