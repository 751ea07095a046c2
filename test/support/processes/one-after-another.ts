/**
 * A program that runs other programs one after the other in its process, where each would take longer to begin than to run.
 * It prints a line of JSON for each, and ends by itself only if nothing of any of them is left open.
 */
import { setImmediate, setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'

/** What one program has printed; an error that it threw is in `stderr`. */
export interface Printed {
  readonly file: string
  readonly stdout: string
  readonly stderr: string
}

/** Milliseconds that a program may take. */
const longest = 30_000

/** Collects what is written to a stream in place of writing it. Returns the function that ends that. */
function collect(stream: NodeJS.WriteStream): () => string {
  const write = stream.write
  let collected = ''
  stream.write = (text: string | Uint8Array): boolean => {
    collected += text.toString()
    return true
  }
  return () => {
    stream.write = write
    return collected
  }
}

for (const file of process.argv.slice(2)) {
  const [outputOf, errorsOf] = [collect(process.stdout), collect(process.stderr)]
  let thrown = ''
  try {
    const ended = import(pathToFileURL(file).href).then(() => setImmediate('ended'))
    const end = await Promise.race([ended, setTimeout(longest, 'late', { ref: false })])
    if (end === 'late') throw new Error(`The program has not ended within ${longest} ms.`)
  } catch (error) {
    thrown = inspect(error)
  }
  const printed: Printed = { file, stdout: outputOf(), stderr: errorsOf() + thrown }
  console.log(JSON.stringify(printed))
}

// A program that threw has left open what it would have closed; alone, it would have ended with its error.
if (process.env['MAY_THROW'] === 'yes') process.exit()
