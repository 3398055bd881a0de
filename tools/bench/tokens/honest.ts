/** Texts as people and programs write them: what the bound must not be far above. */

/** A paragraph a language. */
export const PROSE: Readonly<Record<string, string>> = {
  English:
    'Last autumn we moved our whole billing system to a new provider, and for the first few weeks nobody slept very well. The old one had grown for eleven years, one exception after another, until only two people understood how an invoice came about. We wrote down every rule we could find, tested each of them against a year of real invoices, and threw away a third of them because no customer had ever needed them.',
  German:
    'Im vergangenen Herbst haben wir unser gesamtes Abrechnungssystem zu einem neuen Anbieter umgezogen, und in den ersten Wochen schlief niemand besonders gut. Das alte System war elf Jahre lang gewachsen, eine Ausnahme nach der anderen, bis nur noch zwei Mitarbeiterinnen verstanden, wie eine Rechnung überhaupt zustande kommt. Wir schrieben jede Regel auf und prüften sie gegen die tatsächlichen Rechnungen eines Jahres.',
  French:
    "L'automne dernier, nous avons déplacé tout notre système de facturation chez un nouveau prestataire, et pendant les premières semaines personne n'a vraiment bien dormi. L'ancien avait grandi pendant onze ans, une exception après l'autre, jusqu'à ce que deux personnes seulement comprennent comment naissait une facture. Nous avons noté chaque règle et l'avons vérifiée sur une année entière de factures réelles.",
  Spanish:
    'El otoño pasado trasladamos todo nuestro sistema de facturación a un nuevo proveedor, y durante las primeras semanas nadie durmió demasiado bien. El antiguo había crecido durante once años, una excepción tras otra, hasta que solo dos personas entendían cómo se generaba una factura. Anotamos cada regla que encontramos, la comprobamos con las facturas reales de un año y descartamos un tercio de ellas.',
  Portuguese:
    'No outono passado mudamos todo o nosso sistema de faturamento para um novo fornecedor, e nas primeiras semanas ninguém dormiu muito bem. O antigo tinha crescido durante onze anos, uma exceção após a outra, até que apenas duas pessoas entendessem como uma fatura era produzida. Anotamos cada regra que encontramos, testamos todas com as faturas reais de um ano e jogamos fora um terço delas.',
  Italian:
    "Lo scorso autunno abbiamo trasferito l'intero sistema di fatturazione presso un nuovo fornitore, e nelle prime settimane nessuno ha dormito molto bene. Quello vecchio era cresciuto per undici anni, un'eccezione dopo l'altra, finché soltanto due persone capivano come nascesse una fattura. Abbiamo annotato ogni regola, l'abbiamo verificata con le fatture vere di un anno e ne abbiamo buttato via un terzo.",
  Dutch:
    'Afgelopen herfst hebben we ons hele facturatiesysteem naar een nieuwe leverancier verhuisd, en in de eerste weken sliep niemand erg goed. Het oude systeem was elf jaar lang gegroeid, de ene uitzondering na de andere, tot nog maar twee mensen begrepen hoe een factuur tot stand kwam. We schreven elke regel op die we konden vinden en toetsten die aan de werkelijke facturen van een heel jaar.',
  Polish:
    'Zeszłej jesieni przenieśliśmy cały nasz system rozliczeń do nowego dostawcy i przez pierwsze tygodnie nikt nie spał zbyt dobrze. Stary rozrastał się przez jedenaście lat, wyjątek po wyjątku, aż tylko dwie osoby rozumiały, jak powstaje faktura. Spisaliśmy każdą regułę, którą udało się znaleźć, sprawdziliśmy ją na prawdziwych fakturach z całego roku i jedną trzecią wyrzuciliśmy, bo nikt jej nie potrzebował.',
  Czech:
    'Loni na podzim jsme přestěhovali celý náš fakturační systém k novému dodavateli a první týdny nikdo příliš dobře nespal. Ten starý rostl jedenáct let, výjimka za výjimkou, až už jen dva lidé rozuměli tomu, jak vlastně vzniká faktura. Sepsali jsme každé pravidlo, které jsme dokázali najít, ověřili ho na skutečných fakturách za celý rok a třetinu pravidel zahodili, protože je nikdo nepotřeboval.',
  Turkish:
    'Geçen sonbaharda bütün faturalama sistemimizi yeni bir sağlayıcıya taşıdık ve ilk haftalarda kimse pek iyi uyuyamadı. Eskisi on bir yıl boyunca, bir istisnanın ardından diğeri eklenerek büyümüştü; sonunda bir faturanın nasıl ortaya çıktığını yalnızca iki kişi anlıyordu. Bulabildiğimiz her kuralı yazdık, bir yılın gerçek faturalarıyla tek tek sınadık ve kimsenin ihtiyaç duymadığı üçte birini attık.',
  Russian:
    'Прошлой осенью мы перенесли всю нашу систему расчётов к новому поставщику, и первые недели никто не спал спокойно. Старая росла одиннадцать лет, исключение за исключением, пока лишь два человека понимали, как вообще получается счёт. Мы записали каждое правило, которое смогли найти, проверили его на настоящих счетах за целый год и выбросили треть правил, потому что они никому не были нужны.',
  Ukrainian:
    'Минулої осені ми перенесли всю нашу систему розрахунків до нового постачальника, і перші тижні ніхто не спав спокійно. Стара зростала одинадцять років, виняток за винятком, доки лише двоє людей розуміли, як узагалі виникає рахунок. Ми записали кожне правило, яке змогли знайти, перевірили його на справжніх рахунках за цілий рік і викинули третину правил, бо вони нікому не були потрібні.',
  Greek:
    'Το περασμένο φθινόπωρο μεταφέραμε ολόκληρο το σύστημα τιμολόγησης σε νέο πάροχο, και τις πρώτες εβδομάδες κανείς δεν κοιμόταν πολύ καλά. Το παλιό μεγάλωνε επί έντεκα χρόνια, η μία εξαίρεση μετά την άλλη, ώσπου μόνο δύο άνθρωποι καταλάβαιναν πώς προκύπτει ένα τιμολόγιο. Γράψαμε κάθε κανόνα που βρήκαμε, τον ελέγξαμε με τα πραγματικά τιμολόγια ενός έτους και πετάξαμε το ένα τρίτο.',
  Arabic:
    'في الخريف الماضي نقلنا نظام الفوترة بأكمله إلى مزود جديد، ولم ينم أحد جيدا في الأسابيع الأولى. كان النظام القديم قد كبر على مدى أحد عشر عاما، استثناء بعد استثناء، حتى لم يعد يفهم كيفية نشوء الفاتورة سوى شخصين. كتبنا كل قاعدة استطعنا العثور عليها، وتحققنا منها على الفواتير الحقيقية لعام كامل، ثم تخلصنا من ثلثها لأن أحدا لم يكن في حاجة إليها.',
  Hebrew:
    'בסתיו שעבר העברנו את כל מערכת החיוב שלנו לספק חדש, ובשבועות הראשונים איש לא ישן טוב במיוחד. המערכת הישנה גדלה במשך אחת עשרה שנים, חריג אחרי חריג, עד שרק שני אנשים הבינו כיצד נוצרת חשבונית. רשמנו כל כלל שהצלחנו למצוא, בדקנו אותו מול החשבוניות האמיתיות של שנה שלמה וזרקנו שליש מהכללים, משום שאיש לא נזקק להם מעולם. עכשיו הכול פשוט יותר.',
  Hindi:
    'पिछली शरद ऋतु में हमने अपनी पूरी बिलिंग प्रणाली एक नए प्रदाता के पास पहुँचा दी, और पहले कुछ सप्ताह कोई भी ठीक से सो नहीं पाया। पुरानी प्रणाली ग्यारह साल तक एक के बाद एक अपवाद जोड़ते हुए बढ़ी थी, जब तक कि केवल दो लोग समझते थे कि बिल कैसे बनता है। हमने हर नियम लिखा, उसे पूरे साल के असली बिलों पर जाँचा और एक तिहाई नियम हटा दिए, क्योंकि उनकी किसी को ज़रूरत नहीं थी।',
  Thai: 'เมื่อฤดูใบไม้ร่วงที่แล้วเราย้ายระบบเรียกเก็บเงินทั้งหมดไปยังผู้ให้บริการรายใหม่ และในช่วงสัปดาห์แรกไม่มีใครนอนหลับสนิทเลย ระบบเก่าเติบโตมาสิบเอ็ดปี เพิ่มข้อยกเว้นทีละข้อจนเหลือเพียงสองคนที่เข้าใจว่าใบแจ้งหนี้เกิดขึ้นได้อย่างไร เราจดกฎทุกข้อที่หาได้ ตรวจสอบกับใบแจ้งหนี้จริงตลอดทั้งปี แล้วทิ้งไปหนึ่งในสามเพราะไม่มีลูกค้าคนไหนเคยต้องการมันเลย',
  Chinese:
    '去年秋天，我们把整个计费系统迁移到了一家新的供应商，最初几个星期谁也没有睡好。旧系统已经用了十一年，例外一个接着一个地增加，到最后只有两个人明白一张账单究竟是怎么产生的。我们把能找到的每一条规则都写了下来，用整整一年的真实账单逐条核对，然后删掉了其中的三分之一，因为从来没有客户真正需要过它们。现在任何一位同事都可以在一个下午之内看懂整个流程，出了问题也能很快找到原因。上个月我们又增加了两种付款方式，只用了三天时间就完成了开发和测试，而在以前，这样的改动至少要花上一个半月，还常常会影响到其他部门的工作。大家都说，这是我们这几年来做过的最值得的一件事情，虽然开始的时候没有人相信它会成功，也没有人愿意承担这个责任。',
  Japanese:
    '昨年の秋、私たちは請求システム全体を新しい業者に移しましたが、最初の数週間は誰もよく眠れませんでした。古いシステムは十一年かけて例外に例外を重ねながら大きくなり、最後には請求書がどのように作られるのかを理解している人が二人しかいなくなっていました。見つけられる限りの規則をすべて書き出し、一年分の実際の請求書と照らし合わせて確認し、どのお客様も必要としていなかった三分の一を捨てました。今ではどの同僚でも半日あれば全体の流れを理解でき、問題が起きてもすぐに原因を見つけられます。先月は支払い方法を二つ追加しましたが、開発とテストはわずか三日で終わりました。以前なら少なくとも一か月半はかかり、ほかの部署にも影響が出ていたでしょう。',
  Korean:
    '지난가을 우리는 청구 시스템 전체를 새로운 업체로 옮겼고, 처음 몇 주 동안은 아무도 제대로 잠을 자지 못했다. 예전 시스템은 십일 년 동안 예외에 예외를 더하며 커졌고, 마침내 청구서가 어떻게 만들어지는지 이해하는 사람은 두 명밖에 남지 않았다. 우리는 찾을 수 있는 모든 규칙을 적고, 일 년 치의 실제 청구서와 하나씩 대조한 다음, 어떤 고객도 필요로 하지 않았던 삼분의 일을 버렸다. 이제는 어느 동료라도 반나절이면 전체 흐름을 이해할 수 있고, 문제가 생겨도 금방 원인을 찾아낸다. 지난달에는 결제 방법을 두 가지 더 추가했는데 단 사흘 만에 끝났다.',
  Vietnamese:
    'Mùa thu năm ngoái chúng tôi chuyển toàn bộ hệ thống thanh toán sang một nhà cung cấp mới, và trong những tuần đầu tiên không ai ngủ ngon cả. Hệ thống cũ đã lớn lên suốt mười một năm, hết ngoại lệ này đến ngoại lệ khác, cho đến khi chỉ còn hai người hiểu được một hóa đơn được tạo ra như thế nào. Chúng tôi ghi lại mọi quy tắc tìm được và kiểm tra chúng với hóa đơn thật của cả một năm.',
};

/** A piece of each kind of code and markup. */
export const CODE: Readonly<Record<string, string>> = {
  TypeScript: `export async function settle(ledger: Ledger, call: FinishedCall): Promise<Settlement> {
  const hold = await ledger.findHold(call.requestId);
  if (hold === undefined) throw new UnknownHoldError(call.requestId);
  const cost = priceOf(call.usage, hold.price);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const settled = await ledger.settle({ ...hold, cost, attempt });
    if (settled.ok) return { cost, balance: settled.balance };
  }
  return { cost: 0n, balance: hold.balance };
}
`,
  Python: `import dataclasses
from collections import defaultdict


@dataclasses.dataclass(frozen=True)
class Reading:
    sensor: str
    value: float
    taken_at: int


def average_by_sensor(readings: list[Reading], since: int = 0) -> dict[str, float]:
    """Returns the mean value of each sensor's readings since a time."""
    values = defaultdict(list)
    for reading in readings:
        if reading.taken_at >= since:
            values[reading.sensor].append(reading.value)
    return {sensor: sum(found) / len(found) for sensor, found in values.items()}
`,
  SQL: `SELECT c.customer_id, c.name, COUNT(o.order_id) AS orders, SUM(o.total_amount) AS revenue
FROM customers AS c
LEFT JOIN orders AS o ON o.customer_id = c.customer_id AND o.status <> 'cancelled'
WHERE c.created_at >= DATE '2024-01-01' AND c.country IN ('DE', 'FR', 'US')
GROUP BY c.customer_id, c.name
HAVING SUM(o.total_amount) > 1000
ORDER BY revenue DESC
LIMIT 50;
`,
  HTML: `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Monthly report</title>
    <link rel="stylesheet" href="/assets/main.css">
  </head>
  <body class="report">
    <h1 id="top">Monthly report</h1>
    <p>Sales went up by <strong>12 percent</strong>; see <a href="/reports/march.html">the details</a>.</p>
    <ul><li>New customers</li><li>Returning customers</li></ul>
  </body>
</html>
`,
  JSON: `{"id":"order-7314","customer":{"name":"Maria Lopez","email":"maria@example.com","address":{"street":"12 Garden Road","city":"Dublin","country":"IE"}},"items":[{"product":"keyboard","quantity":1,"price":79.9,"tags":["office","wireless"]},{"product":"cable","quantity":3,"price":4.5,"tags":[]}],"paid":true,"shipped":false,"notes":null,"created_at":"2026-03-14T09:26:53Z"}`,
  'indented JSON': JSON.stringify(
    {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'Get the current weather in a given location',
        parameters: {
          type: 'object',
          properties: {
            location: { type: 'string', description: 'The city and state, such as San Francisco, CA' },
            unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
          },
          required: ['location'],
        },
      },
    },
    null,
    2,
  ),
  Markdown: `# Installing the service

1. Clone the repository and run \`npm install\`.
2. Copy **.env.example** to \`.env\` and fill in the values:

   | Name | Meaning | Default |
   |------|---------|---------|
   | PORT | where it listens | 8080 |
   | LOG_LEVEL | how much it says | info |

> Note: never commit the \`.env\` file. See [the security guide](docs/security.md) for the reasons.

- [x] runs on Linux
- [ ] runs on Windows
`,
  'chat log': `[10:42] anna: hey, did the deploy go through?
[10:43] ben: yep, about ten minutes ago. looks fine so far
[10:43] anna: great!! I saw one alert though, something with the queue...
[10:44] ben: that's the old one, we muted it last week. I'll remove it today
[10:45] anna: ok thanks. lunch at 12:30?
[10:45] ben: sure, same place as always :)
`,
};

/** Turns of conversations in English, short ones and long ones, as people ask and models answer. */
export const ENGLISH_CHAT: readonly string[] = [
  'You are a helpful assistant.',
  'Hi!',
  'Hello, how are you today?',
  "What's the capital of Australia?",
  'The capital of Australia is Canberra. Many people think it is Sydney, but Canberra was chosen as a compromise between Sydney and Melbourne.',
  'thanks, that helps a lot',
  'Can you help me write an email to my landlord about a broken heater? It has been two weeks and he has not replied to my messages.',
  "Of course! Here's a polite but firm version:\n\nDear Mr. Brown,\n\nI'm writing again about the heater in my apartment, which has not worked since the third of January. As I mentioned in my earlier messages, the rooms have been very cold. Please let me know by Friday when somebody can come and repair it.\n\nKind regards,\nSarah",
  'make it shorter and a bit friendlier please',
  "I've got chicken, rice, two carrots and some yogurt. What can I cook in half an hour?",
  'You could make a simple chicken and rice bowl. Cook the rice first, then fry the chicken with some salt, pepper and paprika until it is golden. Slice the carrots thinly, fry them for three minutes, and stir a little lemon juice and garlic into the yogurt for a quick sauce.',
  'Explain quantum entanglement to me like I am ten years old.',
  'Imagine you have two magic coins. Whenever you flip one of them and it shows heads, the other one always shows tails, no matter how far away it is. Nobody sends a message from one coin to the other; they just belong together. Scientists call this entanglement, and they can do it with tiny particles of light.',
  "why isn't my python script printing anything? i run it and it just exits with no error",
  "The most likely reason is that your code only defines functions and never calls them. Check whether there's a line at the bottom of the file such as main(). If you're using a loop, make sure its condition is true at least once. Could you paste the script here so I can take a look?",
  'Summarize the following article in three bullet points and keep the tone neutral.',
  'Plan a three day trip to Lisbon for two people who like food, old buildings and the sea. We do not want to rent a car.',
  "Day one: start in Alfama, walk up to the castle, and have lunch in one of the small restaurants near the cathedral. In the afternoon, take tram 28 through the old town. Day two: take the train to Belém, see the tower and the monastery, and don't miss the famous custard tarts. Day three: go to Cascais by train, walk along the coast and swim if the weather is good.",
  "Is it safe to take ibuprofen and paracetamol together? I've had a headache since yesterday.",
  "For most adults it is generally considered safe to take both, because they work in different ways, but you should stay within the dose on each package. If your headache gets worse, or you also have a fever, a stiff neck or trouble seeing, please contact a doctor right away. I'm not able to give a diagnosis.",
  'Write a short poem about the first snow of the year.',
  'The garden held its breath last night,\nand morning came in softer light;\nthe fence, the roof, the sleeping car\nwore every fallen little star.',
  'ok cool. now do the same thing but for a company of 50 people, and include the costs per month',
  "That's a great question! There isn't one answer that works for everybody, but here are some things to consider before you decide: how much time you have, how much risk you are willing to take, and whether you enjoy learning by yourself. If you can, talk to two or three people who already do that job.",
  'No, that is wrong. I asked for the total number of users, not the number of new users. Please check the table again.',
];
