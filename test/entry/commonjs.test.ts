/** The package for tools that load CommonJS alone, as Jest does: no module of it is an ES module. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }

const root = join(import.meta.dirname, '../..')
const cjs = join(root, 'dist/cjs')

test('each subpath has a form for require, which Node, Bun and Deno pass over', () => {
  const targets = Object.entries(manifest.exports).filter(([, target]) => typeof target !== 'string')
  expect(targets.length).toBeGreaterThan(20)
  for (const [, target] of targets) {
    if (typeof target === 'string') continue
    const { require: forms, default: module } = target
    expect(forms.default).toBe(module.replace('./dist/', './dist/cjs/').replace(/\.js$/, '.cjs'))
    expect([forms['module-sync'], forms.bun, forms.deno]).toEqual([module, module, module])
    // The first that fits is taken.
    expect(Object.keys(forms).at(-1)).toBe('default')
  }
})

test('no module of it imports, at once or lazily', () => {
  const files = readdirSync(cjs, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.cjs'),
  )
  expect(files.length).toBeGreaterThan(25)
  const importing = files.filter((name) =>
    /(?<![\w$.'"`])import\s*\(/.test(readFileSync(join(cjs, name), 'utf8')),
  )
  expect(importing).toEqual([])
})

test('a run with a tool and a SQLite store works where no ES module can be required', () => {
  const program = `
    const { createAgent, createTool, createTroupe } = require('troupe-cjs/index.cjs')
    const { scriptedModel } = require('troupe-cjs/testing/index.cjs')
    const { sqliteStore } = require('troupe-cjs/sqlite/index.cjs')
    const { z } = require('zod')
    async function main() {
      const add = createTool({ id: 'add', description: 'Adds.', inputSchema: z.object({}), execute: () => 5 })
      for (const worker of [false, true]) {
        const model = scriptedModel([{ toolCalls: [{ name: 'add', args: {} }] }, 'Five.'])
        const agent = createAgent({ id: 'a', model, tools: { add } })
        const store = sqliteStore(require('node:path').join(require('node:fs').mkdtempSync(require('node:os').tmpdir() + '/cjs-'), 'a.db'), { worker })
        const troupe = createTroupe({ agents: [agent], store })
        const run = await troupe.start(agent, 'Go.')
        const { outcome, text } = await run.result
        console.log(outcome, text)
        await troupe.close()
        await store.close()
      }
    }
    void main()
  `.replaceAll('troupe-cjs', cjs)
  const printed = execFileSync(process.execPath, ['--no-experimental-require-module', '-e', program], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(printed).toBe('completed Five.\ncompleted Five.\n')
})
