/**
 * Loaded before the tests: databases and interpreters have the threads that were built for the package. The 600 modules of the
 * sources of a database take ten times as long. They are built from the present sources before all tests.
 */
import { registerHooks } from 'node:module'

/** Modules of the sources that start a thread: the name of its module, and what it is in `dist`. */
const starters = [
  { file: 'sqlite/worker/ask-worker.ts', thread: 'database-worker', built: 'sqlite/database-worker.js' },
  {
    file: 'code-mode/interpreter/interpreter.ts',
    thread: 'interpreter-thread',
    built: 'code-mode/interpreter-thread.js',
  },
].map(({ file, thread, built }) => ({
  url: new URL(`../../../src/${file}`, import.meta.url).href,
  place: `\`./${thread}.\${extension}\``,
  built: JSON.stringify(new URL(`../../../dist/${built}`, import.meta.url).href),
}))

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    const starter = starters.find((one) => url.startsWith(one.url))
    if (starter === undefined) return loaded
    const source = Buffer.from(loaded.source as Uint8Array).toString()
    if (!source.includes(starter.place))
      throw new Error(`${starter.url} does not start its thread by ${starter.place} any more.`)
    return { ...loaded, source: source.replace(starter.place, starter.built) }
  },
})
