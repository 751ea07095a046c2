/** A build removes the modules of earlier builds, and nothing else. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { removeOthers } from '../../scripts/build/remove-others.ts'

test('files of the build, whole folders, and files of other kinds stay', () => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-build-'))
  try {
    const present = ['index.js', 'chunks/core.js', 'chunks/core.js.map', 'index.d.ts', 'page/page.js']
    const gone = ['old.js', 'old.js.map', 'old.cjs', 'chunks/old.js']
    for (const name of [...present, ...gone]) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), '')
    }
    const built = ['index.js', 'chunks/core.js', 'chunks/core.js.map', 'page']
    removeOthers(
      folder,
      /\.(js|js\.map|cjs)$/,
      built.map((name) => join(folder, name)),
    )
    const left = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
    expect(left.map(({ parentPath, name }) => join(parentPath, name)).toSorted()).toEqual(
      present.map((name) => join(folder, name)).toSorted(),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})
