/** The packages as they are published: with the README of npm, and without scripts and tools of this repository. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { readManifest, root, type Manifest } from './manifest.ts'
import { npmReadme, publishedPage, withoutPadding } from './npm-readme.ts'
import { Staged, type Fields } from './staged.ts'

/** Fields of the manifest that serve this repository alone. */
const ofRepository = ['scripts', 'devDependencies', 'allowScripts', 'scarfSettings']

export function stagedTroupe(): Staged {
  const stage = new Staged(root)
  stage.manifest((fields) => {
    // "troupe example" installs what an example needs.
    stage.write('examples/versions.json', `${JSON.stringify(fields['devDependencies'], null, 2)}\n`)
    return Object.fromEntries(Object.entries(fields).filter(([field]) => !ofRepository.includes(field)))
  })
  const manifest = readManifest()
  const has = placesOf(stage)
  for (const { path: page } of stage.files) {
    if (!page.endsWith('.md')) continue
    const text = stage.read(page)
    stage.write(
      page,
      page === 'README.md'
        ? npmReadme(text, manifest)
        : withoutPadding(publishedPage(text, { manifest, page, has })),
    )
  }
  return stage
}

/** Whether a package has a file or a folder. */
export function placesOf(stage: Pick<Staged, 'files'>): (path: string) => boolean {
  const files = stage.files.map(({ path }) => path)
  const places = new Set(files.flatMap((file) => [file, ...foldersOf(file)]))
  return (path) => places.has(path)
}

function foldersOf(file: string): readonly string[] {
  const parts = file.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** The folder of `create-troupe` in the repository. */
const createTroupe = 'packages/create-troupe'

export function stagedCreateTroupe(): Staged {
  const stage = new Staged(join(root, createTroupe))
  stage.manifest((fields) => asOf(readManifest(), fields))
  cpSync(join(root, 'LICENSE'), join(stage.directory, 'LICENSE'))
  return stage
}

/** The manifest of `create-troupe`: of the version of `troupe`, with its owner and addresses. */
export function asOf(manifest: Manifest, fields: Fields): Fields {
  const { version, author, homepage, bugs, repository, license, publishConfig } = manifest
  const place = { ...repository, directory: createTroupe }
  return { ...fields, version, author, homepage, bugs, repository: place, license, publishConfig }
}
