/**
 * Runs every proof that goes through a whole state graph, and writes test/covers.json: `npm test` passes over a proof whose code has
 * not changed since. With `--check` it runs none, and fails where the record is not of the present code.
 */
import { writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { startVitest } from 'vitest/node'
import { fingerprintOf, root } from '../test/support/covers/fingerprint.ts'
import type { Proved } from '../test/support/covers/proved.ts'
import {
  everyProof,
  readRecord,
  recordPath,
  type CoverRecord,
  type ProvedFile,
} from '../test/support/covers/record.ts'
import { importsIn, readSources } from '../test/support/imports.ts'

const files = provingFiles()
if (process.argv.includes('--check')) await check()
else await prove()

async function check(): Promise<void> {
  const record = readRecord()
  const stale: string[] = []
  for (const file of files) {
    const known = record[file]
    if (known?.hash !== (await fingerprintOf(file, known?.data)).hash) stale.push(file)
  }
  const leftOver = Object.keys(record).filter((file) => !files.includes(file))
  if (stale.length === 0 && leftOver.length === 0) {
    console.log(`The record of ${files.length} files of proofs is current.`)
    return
  }
  console.error(`Not current: ${[...stale, ...leftOver].join(', ')}. Run "npm run covers".`)
  process.exitCode = 1
}

async function prove(): Promise<void> {
  process.env[everyProof] = '1'
  const vitest = await startVitest(files, { watch: false })
  const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()])
  await vitest.close()
  if (process.exitCode !== undefined && process.exitCode !== 0) return
  const record: Record<string, ProvedFile> = {}
  for (const test of tests) {
    const { proved } = test.meta()
    if (proved !== undefined) record[proved.file] = added(record[proved.file], proved, test.fullName)
  }
  const missing = files.filter((file) => record[file] === undefined)
  if (missing.length > 0) throw new Error(`No proof has run in ${missing.join(', ')}.`)
  await write(record)
}

function added(
  before: ProvedFile | undefined,
  { hash, modules, data, counts }: Proved,
  name: string,
): ProvedFile {
  return { hash, modules, data, proofs: { ...before?.proofs, [name]: counts } }
}

async function write(record: CoverRecord): Promise<void> {
  const sorted = Object.fromEntries(files.map((file) => [file, record[file]]))
  const options = await resolveConfig(recordPath)
  writeFileSync(recordPath, await format(JSON.stringify(sorted), { ...options, parser: 'json' }))
}

/** The test files that import `proved`, directly or not. */
function provingFiles(): string[] {
  const imports = importsIn(readSources(join(root, 'test')))
  const proving = new Set(['support/covers/proved.ts'])
  for (const target of proving) for (const one of imports) if (one.target === target) proving.add(one.file)
  return [...proving]
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => posix.join('test', file))
    .toSorted()
}
