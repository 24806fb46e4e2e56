// Reads our own source with the compiler, for scripts that look for things in it.
import path from 'node:path'
import ts from 'typescript'

/** Packages are left out: what they are does not matter here, and reading their types takes ten times as long. */
export function readSource(root: string, files: readonly string[]): ts.Program {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.NodeNext,
    strict: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    types: [],
  }
  const fileOf = (name: string, from: string) => {
    if (name.startsWith('#')) return path.join(root, 'src', name.slice(1))
    return name.startsWith('.') ? path.resolve(path.dirname(from), name) : undefined
  }
  const host: ts.CompilerHost = {
    ...ts.createCompilerHost(options),
    resolveModuleNameLiterals: (literals, from) =>
      literals.map(({ text }) => {
        const file = fileOf(text, from)
        return { resolvedModule: file ? { resolvedFileName: file, extension: ts.Extension.Ts } : undefined }
      }),
  }
  return ts.createProgram(files, options, host)
}

/** The last word of what stands in a template: `${market.id}` is told as <id>. */
export function nameOf(node: ts.Expression): string {
  if (ts.isBinaryExpression(node)) return nameOf(node.left)
  if (ts.isElementAccessExpression(node)) return nameOf(node.argumentExpression)
  if (ts.isPropertyAccessExpression(node)) return node.name.text
  if (!ts.isCallExpression(node)) return ts.isIdentifier(node) ? node.text : '…'
  const callee = node.expression
  if (ts.isIdentifier(callee)) return callee.text
  const first = node.arguments[0]
  if (first && /^(Math|Object)\./.test(callee.getText())) return nameOf(first)
  return ts.isPropertyAccessExpression(callee) ? nameOf(callee.expression) : '…'
}

/** All calls below a node, however deep. */
export function* calls(node: ts.Node): Generator<ts.CallExpression> {
  const children: ts.Node[] = []
  node.forEachChild((child) => void children.push(child))
  for (const child of children) {
    if (ts.isCallExpression(child)) yield child
    yield* calls(child)
  }
}
