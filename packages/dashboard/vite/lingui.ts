import path from 'node:path'
import { transformAsync } from '@babel/core'
import macros from '@lingui/babel-plugin-lingui-macro'
import { createCompiledCatalog, createMissingErrorMessage, getCatalogForFile, getCatalogs } from '@lingui/cli/api'
import { getConfig } from '@lingui/conf'
import type { Plugin } from 'vite'

/**
 * Lingui's macros and catalogues. Its own plugin wants another version of the bundler than the one we have, and does
 * no more than this.
 */
export function lingui(): Plugin[] {
  const config = getConfig({ cwd: path.resolve(import.meta.dirname, '..') })
  let isBuild = false
  return [
    {
      name: 'lingui-macros',
      enforce: 'pre',
      transform: {
        filter: { id: /\/src\/.*\.tsx?$/, code: /@lingui\/(core|react)\/macro/ },
        async handler(code, id) {
          const result = await transformAsync(code, {
            filename: id,
            babelrc: false,
            configFile: false,
            sourceMaps: true,
            parserOpts: { plugins: ['typescript', 'jsx'] },
            // English travels with the screen that says it: nobody waits for a catalogue.
            plugins: [[macros, { linguiConfig: config, descriptorFields: 'message' }]],
          })
          return result?.code ? { code: result.code, map: result.map } : undefined
        },
      },
    },
    {
      name: 'lingui-catalogues',
      configResolved: ({ command }) => {
        isBuild = command === 'build'
      },
      transform: {
        filter: { id: /\.po$/ },
        async handler(_code, id) {
          const found = getCatalogForFile(path.relative(config.rootDir, id), await getCatalogs(config))
          if (!found) this.error(`${id} is no catalogue of lingui.config.ts.`)
          const { locale, catalog } = found
          const { messages, missing } = await catalog.getTranslations(locale, {
            fallbackLocales: config.fallbackLocales,
            sourceLocale: config.sourceLocale,
          })
          if (isBuild && missing.length > 0) this.error(createMissingErrorMessage(locale, missing, 'loud'))
          const { source } = createCompiledCatalog(locale, messages, { namespace: 'es' })
          return { code: source, map: null, moduleType: 'js' }
        },
      },
    },
  ]
}
