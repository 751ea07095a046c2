/** The page of an example: its components as one script for browsers. An app of yours has a bundler of its own for this. */
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

/** `entry`: a module of React components that draws the page. */
export async function bundlePage(entry: URL): Promise<string> {
  const { output } = await build({
    input: fileURLToPath(entry),
    platform: 'browser',
    tsconfig: false,
    resolve: { conditionNames: ['troupe-source', 'browser', 'import', 'default'] },
    transform: {
      jsx: { runtime: 'automatic', importSource: 'react' },
      define: { 'process.env.NODE_ENV': '"production"' },
      target: 'es2022',
    },
    output: { format: 'es', codeSplitting: false },
    write: false,
  })
  return output[0].code
}
