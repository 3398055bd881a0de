/** Image files in base64: real ones, and heads of files with the segments that a test wants. */

/** Files of 300 x 200 pixels as Pillow 13.0.0 writes them. */
export const REAL_FILES: Readonly<Record<string, string>> = {
  'a PNG':
    'iVBORw0KGgoAAAANSUhEUgAAASwAAADIAQMAAABoEU4WAAAAA1BMVEXIHh4WiPieAAAAHklEQVR42u3BMQEAAADCoPVPbQdvoAAAAAAAAADgNx54AAG94zQeAAAAAElFTkSuQmCC',
  'an animated PNG':
    'iVBORw0KGgoAAAANSUhEUgAAASwAAADICAIAAADdvUsCAAAACGFjVEwAAAACAAAAAPONk3AAAAAaZmNUTAAAAAAAAAEsAAAAyAAAAAAAAAAAAAAAAQAA7Yy3RQAAAkVJREFUeJzt0zEBACAMwDBAyPxLQRYyepAo6NN9ZxbQOXUA/M6EEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHEHt2nApQvgOOJAAAAGmZjVEwAAAABAAABLAAAAMgAAAAAAAAAAAAAAAEAAHb/XZEAAAJKZmRBVAAAAAJ4nO3TIQEAIADAMCADmv7JyEGMC7YEN5/73AF0Vh0AvzMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAgxE0LMhBAzIcRMCDETQsyEEDMhxEwIMRNCzIQQMyHETAixB91cAqiljvKkAAAAAElFTkSuQmCC',
  'a JPEG':
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAALCADIASwBAREA/8QAFQABAQAAAAAAAAAAAAAAAAAAAAH/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/9oACAEBAAA/AIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAP/2Q==',
  'a progressive JPEG':
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCADIASwBAREA/8QAFQABAQAAAAAAAAAAAAAAAAAAAAH/2gAIAQEAAAABgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAD/xAAUEAEAAAAAAAAAAAAAAAAAAACQ/9oACAEBAAEFAm2//8QAFBABAAAAAAAAAAAAAAAAAAAAkP/aAAgBAQAGPwJtv//EABQQAQAAAAAAAAAAAAAAAAAAAJD/2gAIAQEAAT8hbb//2gAIAQEAAAAQ/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP/EABQQAQAAAAAAAAAAAAAAAAAAAJD/2gAIAQEAAT8Qbb//2Q==',
  'a GIF':
    'R0lGODdhLAHIAIEAAMgeHgAAAAAAAAAAACwAAAAALAHIAEAI/wABCBxIsKDBgwgTKlzIsKHDhxAjSpxIsaLFixgzatzIsaPHjyBDihxJsqTJkyhTqlzJsqXLlzBjypxJs6bNmzhz6tzJs6fPn0CDCh1KtKjRo0iTKl3KtKnTp1CjSp1KtarVq1izat3KtavXr2DDih1LtqzZs2jTql3Ltq3bt3Djyp1Lt67du3jz6t3Lt6/fv4ADCx5MuLDhw4gTK17MuLHjx5AjS55MubLly5gza97MubPnz6BDix5NurTp06hTq17NurXr17Bjy55Nu7bt27hz697Nu7fv38CDCx9OvLjx48iTK1/OvLnz59CjS59Ovbr169iza9/Ovbv37+DDi5QfT768+fPo06tfz769+/fw48ufT7++/fv48+vfz7+///8ABijggAQWaOCBCCao4IIMNujggxBGKOGEFFZo4YUYZqjhhhx26OGHIIYo4ogklmjiiSimqOKKLLbo4oswxijjjDTWaOONOOao44489ujjj0AGKeSQRBZp5JFIJqnkkkw26eSTUEYp5ZRUVmnllVhmuWNAADs=',
  'an animated GIF':
    'R0lGODlhLAHIAIEAAMgeHgAAAAAAAAAAACH/C05FVFNDQVBFMi4wAwEAAAAsAAAAACwByAAACP8AAQgcSLCgwYMIEypcyLChw4cQI0qcSLGixYsYM2rcyLGjx48gQ4ocSbKkyZMoU6pcybKly5cwY8qcSbOmzZs4c+rcybOnz59AgwodSrSo0aNIkypdyrSp06dQo0qdSrWq1atYs2rdyrWr169gw4odS7as2bNo06pdy7at27dw48qdS7eu3bt48+rdy7ev37+AAwseTLiw4cOIEytezLix48eQI0ueTLmy5cuYM2vezLmz58+gQ4seTbq06dOoU6tezbq169ewY8ueTbu27du4c+vezbu379/AgwsfTry48ePIkytfzry58+fQo0ufTr269evYs2vfzr279+/gw4uUH0++vPnz6NOrX8++vfv38OPLn0+/vv37+PPr38+/v///AAYo4IAEFmjggQgmqOCCDDbo4IMQRijhhBRWaOGFGGao4YYcdujhhyCGKOKIJJZo4okopqjiiiy26OKLMMYo44w01mjjjTjmqOOOPPbo449ABinkkEQWaeSRSCap5JJMNunkk1BGKeWUVFZp5ZVYZrljQAAh+QQBAAABACwAAAAALAHIAIEUHuYAAAAAAAAAAAAI/wABCBxIsKDBgwgTKlzIsKHDhxAjSpxIsaLFixgzatzIsaPHjyBDihxJsqTJkyhTqlzJsqXLlzBjypxJs6bNmzhz6tzJs6fPn0CDCh1KtKjRo0iTKl3KtKnTp1CjSp1KtarVq1izat3KtavXr2DDih1LtqzZs2jTql3Ltq3bt3Djyp1Lt67du3jz6t3Lt6/fv4ADCx5MuLDhw4gTK17MuLHjx5AjS55MubLly5gza97MubPnz6BDix5NurTp06hTq17NurXr17Bjy55Nu7bt27hz697Nu7fv38CDCx9OvLjx48iTK1/OvLnz59CjS59Ovbr169iza9/Ovbv37+DDi5QfT768+fPo06tfz769+/fw48ufT7++/fv48+vfz7+///8ABijggAQWaOCBCCao4IIMNujggxBGKOGEFFZo4YUYZqjhhhx26OGHIIYo4ogklmjiiSimqOKKLLbo4oswxijjjDTWaOONOOao44489ujjj0AGKeSQRBZp5JFIJqnkkkw26eSTUEYp5ZRUVmnllVhmuWNAADs=',
  'a lossy WebP':
    'UklGRsgAAABXRUJQVlA4ILwAAACwEACdASosAcgAP83m8XO/uDOsoCgD8DmJaW7hdqAAGGEXJyHvtk5D32ych77ZOQ+D91kPfbJyHvtk6KZD32ych9C+l2vFych77cy/T2ych77ZQMvFych77ZOR/zych77ZOQ+hfS7Xi5OQ9+AIB77ZOQ99sxlp7ZOQ99snOIi5OQ99snIiB5OQ99snIbwAAP7+SV+3ft/8jsIbsMGcp6r5p3HAArJKH90Z+84cFgXY7daHAqcCAAAAAAAAAA==',
  'a lossless WebP': 'UklGRiQAAABXRUJQVlA4TBgAAAAvK8ExAAdQjyLXo/8BAEX6/58i+p/6/zU=',
  'an animated WebP':
    'UklGRl4CAABXRUJQVlA4WAoAAAACAAAAKwEAxwAAQU5JTQYAAAAAAAAAAABBTk1GFAEAAAAAAAAAACsBAMcAAAAAAAJWUDgg/AAAALAaAJ0BKiwByAA/zebxc7+4M6ygKAPwOYlpbt/wL0C8AR/qEmgINzU70Vlf2pWq2QdSvXblu0YrVSdEfNlixYsPbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbZgAD+1bXt37f/I7CG7C/X4TiBkcfQAmD4/y7V8HhAAEFOTUYWAQAAAAAAAAAAKwEAxwAAAAAAAFZQOCD+AAAAFBoAnQEqLAHIAD/N4udzggIAA5iWlu3/AvQLwB+AEl6hJ8CEng8Hg8Hg8Hg8HNfXXXXXXXXXXXXXXXXABZ+1azPddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddaAAD+4Rb/1K366Jju9GC3m6okRIfKqCCCCCCCCCB3s88qXsIAAAA=',
  'a WebP with metadata':
    'UklGRuwAAABXRUJQVlA4WAoAAAAIAAAAKwEAxwAAVlA4ILwAAACwEACdASosAcgAP83m8XO/uDOsoCgD8DmJaW7hdqAAGGEXJyHvtk5D32ych77ZOQ+D91kPfbJyHvtk6KZD32ych9C+l2vFych77cy/T2ych77ZQMvFych77ZOR/zych77ZOQ+hfS7Xi5OQ9+AIB77ZOQ99sxlp7ZOQ99snOIi5OQ99snIiB5OQ99snIbwAAP7+SV+3ft/8jsIbsMGcp6r5p3HAArJKH90Z+84cFgXY7daHAqcCAAAAAAAAAEVYSUYKAAAATU0AKgAAAAgAAA==',
};

type Sides = readonly [width: number, height: number];

const bytesOf = (...parts: readonly (Uint8Array | string | number)[]): Buffer =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'number' ? Buffer.of(part) : Buffer.from(part as string, 'latin1'))),
  );

const numberOf = (value: number, length: number, isLittle = false): Buffer => {
  const bytes = Buffer.alloc(length);
  if (isLittle) bytes.writeUIntLE(value, 0, length);
  else bytes.writeUIntBE(value, 0, length);
  return bytes;
};

export const pngChunk = (type: string, data: Uint8Array): Buffer =>
  bytesOf(numberOf(data.length, 4), type, data, numberOf(0, 4));

export const pngHeader = ([width, height]: Sides): Buffer =>
  pngChunk('IHDR', bytesOf(numberOf(width, 4), numberOf(height, 4), numberOf(0, 5)));

export const pngOf = (...chunks: readonly Buffer[]): string =>
  bytesOf('\x89PNG\r\n\x1a\n', ...chunks, pngChunk('IDAT', Buffer.alloc(9))).toString('base64');

export const jpegSegment = (marker: number, data: Uint8Array): Buffer =>
  bytesOf(0xff, marker, numberOf(data.length + 2, 2), data);

export const jpegFrame = ([width, height]: Sides, marker = 0xc0): Buffer =>
  jpegSegment(marker, bytesOf(8, numberOf(height, 2), numberOf(width, 2), '\x01\x01\x11\x00'));

export const jpegOf = (...segments: readonly Buffer[]): string =>
  bytesOf('\xff\xd8', ...segments, jpegSegment(0xda, Buffer.alloc(6)), Buffer.alloc(64)).toString('base64');

export const gifFrame = ([width, height]: Sides, left = 0): Buffer =>
  bytesOf(
    0x2c,
    numberOf(left, 2, true),
    numberOf(0, 2),
    numberOf(width, 2, true),
    numberOf(height, 2, true),
    0,
  );

export const gifComment = (text: string): Buffer => bytesOf(0x21, 0xfe, text.length, text, 0);

export const gifOf = ([width, height]: Sides, ...blocks: readonly Buffer[]): string =>
  bytesOf(
    'GIF89a',
    numberOf(width, 2, true),
    numberOf(height, 2, true),
    '\x80\x00\x00',
    Buffer.alloc(6),
    ...blocks,
    Buffer.alloc(64),
  ).toString('base64');

export const webpChunk = (type: string, data: Uint8Array): Buffer =>
  bytesOf(type, numberOf(data.length, 4, true), data, data.length % 2 === 0 ? '' : '\0');

export const webpCanvas = ([width, height]: Sides): Buffer =>
  webpChunk('VP8X', bytesOf(numberOf(0, 4), numberOf(width - 1, 3, true), numberOf(height - 1, 3, true)));

export const webpLossy = ([width, height]: Sides): Buffer =>
  webpChunk(
    'VP8 ',
    bytesOf('\0\0\0\x9d\x01\x2a', numberOf(width, 2, true), numberOf(height, 2, true), 'pixels'),
  );

export const webpLossless = ([width, height]: Sides): Buffer =>
  webpChunk('VP8L', bytesOf(0x2f, numberOf(width - 1 + (height - 1) * 2 ** 14, 4, true), 'pixels'));

export const webpFrame = ([width, height]: Sides, left = 0): Buffer =>
  webpChunk(
    'ANMF',
    bytesOf(
      numberOf(left, 3, true),
      numberOf(0, 3),
      numberOf(width - 1, 3, true),
      numberOf(height - 1, 3, true),
      'rest',
    ),
  );

export const webpOf = (...chunks: readonly Buffer[]): string =>
  bytesOf('RIFF', numberOf(0, 4), 'WEBP', ...chunks).toString('base64');
