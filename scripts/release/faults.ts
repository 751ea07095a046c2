/** What must not be published, found file by file. */

/** All that `troupe` has: a file of no kind here is a decision to be made. */
const ofTroupe: readonly RegExp[] = [
  /^examples\/versions\.json$/,
  /^dist\/[\w./-]+\.(?:js|cjs|d\.ts|d\.cts)$/,
  /^dist\/inspector\/page\/(?:index\.html|page\.css|licenses\.txt)$/,
  /^dist\/vendor\/[\w./-]+$/,
  /^docs\/(?:README\.md|(?:concepts|guide|learn|migrate|patterns|reference|run|test)\/[\w-]+\.md)$/,
  /^examples\/(?:README\.md|support\/[\w./-]+\.(?:ts|css))$/,
  /^examples\/\d\d-[\w-]+\/[\w./[\]-]+\.(?:ts|tsx|md|css|html|json|jsonl|mjs|txt|svg|png|csv)$/,
  /^(?:package\.json|README\.md|CHANGELOG\.md|SECURITY\.md|LICENSE)$/,
]

/** As `ofTroupe`, of `create-troupe`. */
export const ofCreateTroupe: readonly RegExp[] = [
  /^(?:package\.json|README\.md|LICENSE|create\.js)$/,
  /^template\/(?:README\.md|package\.json|gitignore)$/,
  /^template\/(?:page|src|test)\/[\w.-]+\.(?:html|js|css|ts)$/,
]

/** Texts of the machine that made the package, and of keys. */
const foreign: readonly RegExp[] = [
  /(?<![\w.])\/(?:work|root|home\/(?!user\b|me\b)\w+|Users\/\w+)\//,
  /\bnpm_[A-Za-z0-9]{36}\b/,
  /\bsk-[A-Za-z0-9]{32,}\b/,
  /\bghp_[A-Za-z0-9]{36}\b/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----\n/,
  /^\/\/# sourceMappingURL=/m,
]

/** `files`: their texts by their places in the package. `kinds`: of the files that the package may have. */
export function faultsIn(files: ReadonlyMap<string, string>, kinds = ofTroupe): readonly string[] {
  return [...files].flatMap(([file, text]) => {
    const faults = kinds.some((kind) => kind.test(file)) ? [] : [`${file} is of no kind that is published.`]
    const found = foreign.flatMap((pattern) => pattern.exec(text)?.[0] ?? [])
    return [...faults, ...found.map((part) => `${file} has ${JSON.stringify(part.slice(0, 40))}.`)]
  })
}
