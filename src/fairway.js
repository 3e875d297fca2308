#!/usr/bin/env node
// Plain JavaScript, because an older Node refuses TypeScript before it runs a line of it.
if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `fairway needs Node 24 or later, and this is ${process.version}; after \`npm ci\`, \`npx fairway\` finds it.\n`,
  );
  process.exitCode = 1;
} else {
  await import('./main.ts');
}
