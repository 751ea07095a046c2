/**
 * Checks that every regular expression of the sources is linear in the text that it searches: a text from outside must not
 * hold the process. Fails with each that is not, with the place and a text that shows it.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findRegexes } from './find-regexes.ts'
import { faultOf } from './regex-fault.ts'

const root = join(import.meta.dirname, '..')
const files = globSync('src/**/*.{ts,tsx}', { cwd: root }).toSorted()
const all = files.flatMap((file) =>
  findRegexes(file, readFileSync(join(root, file), 'utf8')).map((found) => ({ file, ...found })),
)
const faults = all.flatMap((found) => {
  const fault = faultOf(found)
  return fault === undefined ? [] : [`${found.file}:${found.line}: ${found.text}\n  ${fault}`]
})

if (faults.length > 0) {
  console.error(`Regular expressions that are not known to be linear:\n${faults.join('\n')}`)
  process.exitCode = 1
} else {
  console.log(`All ${all.length} regular expressions of src are linear.`)
}
